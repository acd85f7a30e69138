//! A session: what is debugged, and what the client has said of it.

use chiaro_target::Change;
use serde_json::{Value as Json, json};

use super::Answer;
use crate::Lab;
use crate::breakpoints::Breakpoints;
use crate::lab::Launch;
use crate::locals;
use crate::recording::{Lane, Recording};
use crate::scopes::Shown;

/// References to variables that are kept at most; a stop forgets them.
const MOST_SHOWN: usize = 100_000;

/// A session.
pub(super) struct Session<'a> {
    lab: &'a dyn Lab,
    launch: Launch,
    pub(super) recording: Recording,
    pub(super) breakpoints: Breakpoints,
    /// What references to variables mean; a number is a place here plus one.
    pub(super) shown: Vec<Shown>,
    pub(super) next_id: u32,
    /// Events that follow the response.
    pub(super) events: Vec<Json>,
    pub(super) stops_on_entry: bool,
    /// The client counts lines from 1 (or from 0).
    first_line: u32,
    pub(super) is_over: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(lab: &'a dyn Lab) -> Session<'a> {
        Session {
            lab,
            launch: Launch::default(),
            recording: Recording::default(),
            breakpoints: Breakpoints::default(),
            shown: Vec::new(),
            next_id: 1,
            events: Vec::new(),
            stops_on_entry: true,
            first_line: 1,
            is_over: false,
        }
    }

    pub(super) fn event(&mut self, name: &str, body: Json) {
        self.events.push(json!({ "type": "event", "event": name, "body": body }));
    }

    pub(super) fn say(&mut self, category: &str, text: &str) {
        if !text.is_empty() {
            self.event("output", json!({ "category": category, "output": format!("{}\n", text.trim_end()) }));
        }
    }

    /// A line as the client counts, from one that counts from 1.
    pub(super) fn line_out(&self, line: u32) -> u32 {
        line - 1 + self.first_line
    }

    /// A line that counts from 1, from one as the client counts.
    pub(super) fn line_in(&self, line: u64) -> u32 {
        u32::try_from(line).unwrap_or(u32::MAX - 1) + 1 - self.first_line
    }

    /// The number of a reference to variables.
    pub(super) fn refer(&mut self, shown: Shown) -> usize {
        let known = self.shown.iter().position(|known| *known == shown);
        if let Some(known) = known {
            return known + 1;
        }
        if self.shown.len() >= MOST_SHOWN {
            return 0;
        }
        self.shown.push(shown);
        self.shown.len()
    }

    pub(super) fn initialize(&mut self, arguments: &Json) -> Answer {
        self.first_line = u32::from(arguments["linesStartAt1"] != false);
        self.event("initialized", json!({}));
        Ok(json!({
            "supportsConfigurationDoneRequest": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsDataBreakpoints": true,
            "supportsInstructionBreakpoints": true,
            "supportsDisassembleRequest": true,
            "supportsSteppingGranularity": true,
            "supportsStepBack": true,
            "supportsSetVariable": true,
            "supportsSetExpression": true,
            "supportsEvaluateForHovers": true,
            "supportsRestartRequest": true,
            "supportsTerminateRequest": true,
            "supportsValueFormattingOptions": true
        }))
    }

    pub(super) fn launch(&mut self, arguments: &Json) -> Answer {
        let text = |name: &str| arguments[name].as_str().map(str::to_owned);
        let settings = arguments["settings"].as_object().into_iter().flatten();
        let plain = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let inputs = &arguments["inputs"];
        self.launch = Launch {
            program: text("program").ok_or("`program` is missing: the shader, assembly or container")?,
            target: text("target"),
            inputs_file: text("inputs"),
            inputs: inputs.is_object().then(|| inputs.clone()),
            entry: text("entry"),
            mode: text("mode"),
            settings: settings.map(|(key, value)| (key.clone(), plain(value))).collect(),
            changes: Vec::new(),
        };
        self.stops_on_entry = arguments["stopOnEntry"] != false;
        self.record()?;
        self.say("console", &format!("{} on {}", self.launch.program, self.recording.made.target));
        Ok(Json::Null)
    }

    /// Makes a new recording of what was launched.
    pub(super) fn record(&mut self) -> Result<(), String> {
        let made = self.lab.record(&self.launch)?;
        if made.waves.iter().all(Vec::is_empty) {
            return Err(format!("`{}` has recorded no step of {}", made.target, self.launch.program));
        }
        self.recording = locals::located(made);
        self.shown.clear();
        self.breakpoints.forget();
        let remarks = self.recording.made.remarks.clone();
        self.say("stderr", &remarks);
        Ok(())
    }

    /// The same program with other inputs. Registers that were set are as the program has them again.
    pub(super) fn record_with(&mut self, inputs: Json) -> Result<(), String> {
        let launch = Launch { inputs: Some(inputs), changes: Vec::new(), ..self.launch.clone() };
        if !self.launch.changes.is_empty() {
            self.say("console", "with other inputs registers are as the program has them");
        }
        self.record_again(launch)
    }

    /// The same program with registers that are set where it stands; what was set behind that is forgotten.
    pub(super) fn record_changed(&mut self, changes: Vec<Change>) -> Result<(), String> {
        let mut launch = self.launch.clone();
        let is_behind = |old: &Change| changes.iter().any(|new| old.wave == new.wave && old.step > new.step);
        launch.changes.retain(|old| !is_behind(old));
        launch.changes.extend(changes);
        self.record_again(launch)
    }

    /// Another recording; threads stay where they are, as far as they get there.
    fn record_again(&mut self, launch: Launch) -> Result<(), String> {
        let places = self.recording.places.clone();
        let before = std::mem::replace(&mut self.launch, launch);
        if let Err(why) = self.record() {
            self.launch = before;
            return Err(why);
        }
        for (wave, place) in places.into_iter().enumerate().take(self.recording.places.len()) {
            self.recording.places[wave] = place.min(self.recording.steps(wave).len());
        }
        Ok(())
    }

    /// The program as it was launched.
    pub(super) fn record_anew(&mut self) -> Result<(), String> {
        self.launch.changes.clear();
        self.record()
    }

    /// Tells that a thread has stopped: what was shown before is old.
    pub(super) fn stopped(&mut self, lane: Lane, reason: &str, breakpoint: Option<u32>) {
        self.shown.clear();
        let thread = self.recording.thread(lane);
        let mut body = json!({ "reason": reason, "threadId": thread + 1, "allThreadsStopped": true });
        if let Some(id) = breakpoint {
            body["hitBreakpointIds"] = json!([id]);
        }
        self.event("stopped", body);
    }

    pub(super) fn terminate(&mut self, _: &Json) -> Answer {
        self.event("terminated", json!({}));
        Ok(Json::Null)
    }

    pub(super) fn disconnect(&mut self, _: &Json) -> Answer {
        self.is_over = true;
        Ok(Json::Null)
    }

    /// The lane that a request names as a thread.
    pub(super) fn lane(&self, arguments: &Json) -> Result<Lane, String> {
        let number = arguments["threadId"].as_u64().unwrap_or(0) as usize;
        let count = self.recording.threads();
        let thread = number.checked_sub(1).filter(|thread| *thread < count);
        thread
            .map(|thread| self.recording.lane(thread))
            .ok_or_else(|| format!("there are threads 1 to {count}"))
    }
}
