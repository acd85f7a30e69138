// chiaro: compilers, assemblers, checkers and simulators for the shaders of real GPUs.
//
// Written by cbindgen from crates/chiaro-c/src; docs/c.md tells how to use it.

#ifndef CHIARO_H
#define CHIARO_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// How it went. What is at fault in detail, the answer's messages say.
typedef enum {
  // It is done.
  CHIARO_DONE = 0,
  // The input is at fault: its messages have the place.
  CHIARO_WRONG_INPUT = 1,
  // The options are at fault.
  CHIARO_WRONG_USAGE = 2,
  // A pointer is null that must not be.
  CHIARO_NULL = 3,
  // A text is not UTF-8.
  CHIARO_NOT_UTF8 = 4,
  // The buffer is too short; how long it has to be, is told.
  CHIARO_SHORT_BUFFER = 5,
  // There is no target of that name.
  CHIARO_UNKNOWN_TARGET = 6,
  // The answer has no such part.
  CHIARO_NO_SUCH_PART = 7,
  // A mistake of chiaro.
  CHIARO_BUG = 101,
} chiaro_status;

// What a component of an output is.
typedef enum {
  // 0 or 1.
  CHIARO_BOOL = 0,
  // An integer with a sign.
  CHIARO_INT = 1,
  // An integer without a sign.
  CHIARO_UINT = 2,
  // A float.
  CHIARO_FLOAT = 3,
} chiaro_component_kind;

// Parts of an answer.
typedef enum {
  // What was asked for: a container, a text, or JSON.
  CHIARO_RESULT = 0,
  // The code alone, of a compilation.
  CHIARO_CODE = 1,
  // The code with the source beside it, of a compilation.
  CHIARO_LISTING = 2,
  // Names with their registers as macros of C, where the target has such headers.
  CHIARO_HEADER = 3,
  // The IR that the code computes, of a compilation.
  CHIARO_IR = 4,
  // What the code takes of the machine as JSON, of a compilation.
  CHIARO_REPORT = 5,
} chiaro_part;

// What can be made and kept.
typedef enum {
  // As `chiaro_compile`.
  CHIARO_COMPILED = 0,
  // As `chiaro_assemble`.
  CHIARO_ASSEMBLED = 1,
  // As `chiaro_link`.
  CHIARO_LINKED = 2,
} chiaro_made;

// Results and messages. `chiaro_answer_free` frees it.
typedef struct chiaro_answer chiaro_answer;

// Memory of the caller's that a result is copied to.
typedef struct {
  // The memory; null if there is none.
  uint8_t *bytes;
  // Bytes that it has room for.
  size_t capacity;
  // Bytes of the result, which is told in any case.
  size_t size;
} chiaro_buffer;

// A file in memory.
typedef struct {
  // Its name, of which the ending tells language and stage (`water.vert`); of parts that are linked, with the part
  // before it: `prolog=fetch.bin`.
  const char *name;
  // Its bytes; null if there are none.
  const uint8_t *bytes;
  // How many.
  size_t size;
} chiaro_file;

// What is asked. Everything belongs to the caller and is read before the function returns.
typedef struct {
  // The target's name; null where the files tell it.
  const char *target;
  // The files: sources, containers, and what options name.
  const chiaro_file *files;
  // How many files there are.
  size_t file_count;
  // Of the files, how many are asked about; the others are there to be included, or named by options. 0 means all.
  size_t subject_count;
  // Options of the command, such as `-m`, `KEY=VALUE`: `chiaro help compile` lists them.
  const char *const *options;
  // How many.
  size_t option_count;
} chiaro_question;

// An input of all invocations.
typedef struct {
  // Its name in the program, or a register.
  const char *name;
  // The rows, one behind the other; they are read while the function runs.
  const float *rows;
  // Floats in a row, 1 to 4.
  size_t width;
} chiaro_column;

// An output of all invocations.
typedef struct {
  // What the host calls it.
  const char *name;
  // A component in the low bits of each number, invocation by invocation.
  const uint64_t *bits;
  // Numbers in all.
  size_t size;
  // Components of an invocation.
  size_t width;
  // What they are.
  chiaro_component_kind kind;
  // Bits of a component.
  uint8_t kind_bits;
} chiaro_output;

// Memory of the caller's, for one thread at a time. It may be kept, copied and mapped by other processes.
typedef struct {
  // The memory, of any alignment.
  uint8_t *memory;
  // Its bytes: 1,068 and the results, with 40 for each of them.
  size_t size;
} chiaro_cache;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// A status in words, for ever.
const char *chiaro_status_text(uint32_t status);

// The version of the library, for ever.
const char *chiaro_version(void);

// The bytes of a part, and in `size` how many; null if there is no such part. They live as long as the answer.
//
// # Safety
// `answer` is null or an answer; `size` is null or can be written.
const uint8_t *chiaro_answer_part(const chiaro_answer *answer,
                                  uint32_t part,
                                  size_t *size);

// Copies a part to a buffer. Of a buffer that is too short only the size changes.
//
// # Safety
// `answer` is null or an answer, `buffer` is null or has its capacity.
chiaro_status chiaro_answer_copy(const chiaro_answer *answer, uint32_t part, chiaro_buffer *buffer);

// All messages, an object of JSON a line (docs/builds.md); a text that ends with a zero and lives as long as the answer.
//
// # Safety
// `answer` is null or an answer.
const char *chiaro_answer_messages(const chiaro_answer *answer);

// All messages for people, with the lines of the sources.
//
// # Safety
// `answer` is null or an answer.
const char *chiaro_answer_text(const chiaro_answer *answer);

// Frees an answer; null is none.
//
// # Safety
// `answer` is null or an answer, which nobody looks at any more.
void chiaro_answer_free(chiaro_answer *answer);

// Compiles sources for the target. The result is the container; code, listing, header, IR and report are parts beside it.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_compile(const chiaro_question *question,
                             chiaro_answer **answer);

// What a source takes of the machine once it is compiled, or a container as it is: JSON of docs/report.schema.json.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_report(const chiaro_question *question,
                            chiaro_answer **answer);

// What differs between two sources or containers, and why: JSON of docs/diff.schema.json. Of one file it is what options
// such as `--after-define` make of it.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_diff(const chiaro_question *question,
                          chiaro_answer **answer);

// When each instruction of a program issues and what it waits for: JSON of docs/timeline.schema.json.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_timeline(const chiaro_question *question,
                              chiaro_answer **answer);

// Where a host program finds what a shader reads and writes, as JSON: of sources the variables and their places, of a
// container what it says itself.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_abi(const chiaro_question *question,
                         chiaro_answer **answer);

// Assembles sources to a container.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_assemble(const chiaro_question *question,
                              chiaro_answer **answer);

// Lists a container; the listing assembles to the same bytes. `--raw` lists code alone.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_disassemble(const chiaro_question *question,
                                 chiaro_answer **answer);

// Checks a source or a container by the rules of the hardware: what is found are the messages.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_check(const chiaro_question *question,
                           chiaro_answer **answer);

// Takes an instruction apart field by field, with the sources of what is said. The bytes are those of the first file.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_explain(const chiaro_question *question,
                             chiaro_answer **answer);

// What a container holds, as JSON.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_info(const chiaro_question *question,
                          chiaro_answer **answer);

// Links parts that were made separately to a container.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_link(const chiaro_question *question,
                          chiaro_answer **answer);

// Runs a source or a container on the simulator; without a target, a shader on the interpreter. The result is JSON with
// values and bits. `--inputs NAME` names a file of JSON with uniforms and vertices, fragments or groups.
//
// # Safety
// `question` is null or a question whose fields are what they say, `answer` null or a place to write.
chiaro_status chiaro_simulate(const chiaro_question *question,
                              chiaro_answer **answer);

// The targets, as JSON: their names, stages, what can be asked of them, options. Nothing is read of the caller.
//
// # Safety
// `answer` is null or a place to write.
chiaro_status chiaro_targets(chiaro_answer **answer);

// Runs a program on the simulator, with the inputs of its `invocations` in the caller's arrays: vertices, or, if
// `fragments` is not 0, fragments, of which four in a row are a quad. Uniforms are in the file that `--inputs` names.
// The outputs are looked at with `chiaro_answer_output`.
//
// # Safety
// As `chiaro_simulate`; `columns` is null or has so many columns, of as many rows as there are invocations.
chiaro_status chiaro_simulate_columns(const chiaro_question *question,
                                      const chiaro_column *given,
                                      size_t column_count,
                                      size_t invocations,
                                      uint32_t fragments,
                                      chiaro_answer **answer);

// Output `index` of a run over columns, from 0; `CHIARO_NO_SUCH_PART` behind the last. Its pointers live as long as the answer.
//
// # Safety
// `answer` is null or an answer, `output` null or a place to write.
chiaro_status chiaro_answer_output(const chiaro_answer *answer,
                                   size_t index,
                                   chiaro_output *output);

// Makes a part or a program (`CHIARO_COMPILED`, `CHIARO_ASSEMBLED`, `CHIARO_LINKED`) in the caller's buffer, or takes
// it from the cache; `cache` may be null. The buffer is told how long it is, also if it is too short: then it is kept
// all the same, and the next call has it. `answer` may be null; it has the messages of what was made, and is null for what
// was known.
//
// # Safety
// As `chiaro_link`; `buffer` is null or has its capacity, `cache` is null or memory that nobody else uses meanwhile.
chiaro_status chiaro_make(uint32_t kind,
                          const chiaro_question *question,
                          const chiaro_cache *cache,
                          chiaro_buffer *buffer,
                          chiaro_answer **answer);

// How many questions were known and how many were not, and how many bytes are used, since the cache began.
//
// # Safety
// `cache` is null or memory that nobody else uses meanwhile; the others are null or places to write.
chiaro_status chiaro_cache_counts(const chiaro_cache *cache,
                                  uint32_t *known,
                                  uint32_t *made,
                                  uint32_t *used);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHIARO_H */
