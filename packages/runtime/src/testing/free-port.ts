import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Range below the ports that systems assign by themselves. */
const ports = { first: 14_000, count: 9_000 };

/** Returns a port of 127.0.0.1 that stays reserved until this process ends. @throws Error after a hundred attempts */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = ports.first + randomInt(ports.count);
    const claim = await listenOn(port + ports.count);
    const probe = claim && (await listenOn(port));
    if (probe === undefined) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
  throw new Error("no free port was found in a hundred attempts");
}

/** @returns undefined if the port is in use */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().unref();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return server;
  } catch {
    return undefined;
  }
}
