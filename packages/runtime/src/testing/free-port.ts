import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below those that systems hand out by themselves, which any connection could be given meanwhile. */
const ports = { first: 14_000, count: 9_000 };

/**
 * A port of 127.0.0.1 on which nothing listens now, and which no process that asks here is given again before this one ends:
 * another listener, `count` ports above, stands for the claim, and goes with its process however that dies.
 *
 * @throws Error none was found in a hundred attempts.
 */
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

/** @returns undefined when somebody else listens there. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().unref();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return server;
  } catch {
    return undefined;
  }
}
