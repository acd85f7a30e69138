// Keeps the page for when there is no network: everything that was built, as it was built.

declare const BUILD: string;
declare const FILES: string[];
const worker = self as unknown as ServiceWorkerGlobalScope;
const NAME = `chiaro-${BUILD}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  const old = async () => {
    for (const name of await caches.keys()) if (name.startsWith("chiaro-") && name !== NAME) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(old());
});

worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  const answer = async () => {
    const cache = await caches.open(NAME);
    const known = await cache.match(event.request, { ignoreSearch: true });
    return known ?? fetch(event.request);
  };
  event.respondWith(answer());
});
