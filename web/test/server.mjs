// A static host in a subfolder, as strict as the plainest of them.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml" };
const FOLDER = "/some/folder/";

/** Serves dist/ below a folder; the address, the paths that were asked for, and how to end it. */
export async function serve(port = 0) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    asked.push(path);
    const name = normalize(path.startsWith(FOLDER) ? path.slice(FOLDER.length) || "index.html" : "/");
    const file = join(dist, name);
    if (!file.startsWith(dist) || !statSync(file, { throwIfNoEntry: false })?.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "cache-control": "no-cache" });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  return { address: `http://127.0.0.1:${server.address().port}${FOLDER}`, asked, end: () => new Promise((done) => (server.closeAllConnections(), server.close(done))) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await serve(Number(process.env.PORT ?? 8000))).address);
