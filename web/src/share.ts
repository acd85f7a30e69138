// States in the fragment of the address: JSON, deflated, in base64 for addresses.

import { LARGEST, type State } from "./state";

const VERSION = "1.";

/** The fragment of a state, without its `#`. */
export async function written(state: State): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await drained(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity);
  let text = "";
  for (let at = 0; at < packed.length; at += 0x8000) text += String.fromCharCode(...packed.subarray(at, at + 0x8000));
  return VERSION + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What a fragment holds; nothing if it is none of ours, or too much. */
export async function read(fragment: string): Promise<unknown> {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith(VERSION)) return undefined;
  try {
    const packed = Uint8Array.from(atob(text.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const bytes = await drained(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")), 2 * LARGEST);
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** All bytes of a stream; a few bytes can unpack to more than any memory has, so there is a limit. */
async function drained(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      await reader.cancel();
      throw new RangeError("too large");
    }
    parts.push(next.value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
