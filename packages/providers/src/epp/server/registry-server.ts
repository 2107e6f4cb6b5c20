import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type TLSSocket } from "node:tls";

import type { CallOff, Clock } from "@hostledger/runtime";

import type { Sandbox } from "../../sandbox/sandbox.ts";
import { encodeFrame, FrameError, FrameReader } from "../frames.ts";
import { refusalXml } from "./answering.ts";
import { EppRefusal } from "./result-codes.ts";
import { Session, type Reply, type SessionContext } from "./session.ts";

export interface RegistryServerOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** PEM. */
  readonly tls: { readonly key: string; readonly certificate: string };
  /** Passwords by registrar; `sandbox` is the sandbox's own registrar. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Registrars' identifiers by login user, if different. Default: equal. */
  readonly clientIds?: ReadonlyMap<string, string>;
  /** Default: 127.0.0.1 */
  readonly host?: string;
  /** Default: 0, which takes a free port. */
  readonly port?: number;
  /** Delay of the greeting in milliseconds. Default: 0 */
  readonly greetingMs?: number;
  /** Maximum sessions per registrar. Default: 64 */
  readonly sessionsPerRegistrar?: number;
  /** Receives unexpected errors. */
  readonly onFailure?: (error: unknown) => void;
}

/** A running test registry. */
export interface RegistryServer {
  readonly host: string;
  readonly port: number;
  /** `epps://HOST:PORT` */
  readonly url: string;
  close(): Promise<void>;
}

const mostConnections = 10_000;
const handshakeLimitMs = 10_000;
/** Time limits in milliseconds for the login, the remainder of a frame, and an idle session. */
const loginLimitMs = 30_000;
const frameLimitMs = 30_000;
const idleLimitMs = 600_000;
/** Maximum bytes of a client's command; usual commands have a few thousand. */
const longestCommandBytes = 262_144;

/** Serves the sandbox's registry over EPP and TLS (RFC 5734). Rejects if it cannot listen. */
export async function serveRegistry(options: RegistryServerOptions): Promise<RegistryServer> {
  const { sandbox, clock, tls, accounts, host = "127.0.0.1", port = 0 } = options;
  const { onFailure = () => undefined, greetingMs = 0 } = options;
  const shared: SessionContext = {
    registry: sandbox.registry,
    clock,
    accounts,
    failedLogins: new Map(),
    ...(options.clientIds && { clientIds: options.clientIds }),
    ...placesFor(options.sessionsPerRegistrar ?? 64),
  };
  const connections = new Set<TLSSocket>();
  const server = createServer({
    key: tls.key,
    cert: tls.certificate,
    minVersion: "TLSv1.2",
    handshakeTimeout: handshakeLimitMs,
  });
  server.maxConnections = mostConnections;
  server.on("secureConnection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    // An error closes the connection, which ends the loop below.
    socket.on("error", () => socket.destroy());
    const session = new Session(shared);
    converse({ socket, session, clock, greetingMs })
      .catch(onFailure)
      .finally(() => {
        session.end();
        // Sends buffered output before closing.
        socket.destroySoon();
      });
  });
  // Failed handshakes are the client's errors.
  server.on("tlsClientError", () => undefined);
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    host,
    port: bound,
    url: `epps://${host.includes(":") ? `[${host}]` : host}:${String(bound)}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

function placesFor(most: number): Pick<SessionContext, "enter" | "leave"> {
  const taken = new Map<string, number>();
  return {
    enter(registrar) {
      const count = taken.get(registrar) ?? 0;
      if (count >= most) return false;
      taken.set(registrar, count + 1);
      return true;
    },
    leave(registrar) {
      taken.set(registrar, (taken.get(registrar) ?? 1) - 1);
    },
  };
}

interface Conversation {
  readonly socket: TLSSocket;
  readonly session: Session;
  readonly clock: Clock;
  readonly greetingMs: number;
}

/** Sends the greeting, then answers frame by frame; reads further bytes after the answer was sent. */
async function converse({ socket, session, clock, greetingMs }: Conversation): Promise<void> {
  const limit = limitBy(clock, () => socket.destroy());
  try {
    limit.set(loginLimitMs + greetingMs);
    await clock.sleep(greetingMs);
    await send(socket, encodeFrame(session.greeting()));
    const frames = new FrameReader(longestCommandBytes);
    // Keeps the socket open after the loop, so that the last answer is sent.
    const chunks: AsyncIterable<Uint8Array> = socket.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      const wasHalf = frames.isHalf;
      const complete = frames.push(chunk);
      for (const xml of complete) {
        limit.lift();
        const reply = await session.answer(xml);
        await sendReply(socket, reply);
        if (reply.ends) return;
        limit.set(session.isOpen ? idleLimitMs : loginLimitMs);
      }
      // Single bytes do not extend the time limit of a frame.
      if (frames.isHalf && (!wasHalf || complete.length > 0)) limit.set(frameLimitMs);
    }
  } catch (error) {
    if (error instanceof FrameError) await explain(socket, error);
    // Errors after the connection closed are caused by the closing.
    else if (!socket.destroyed) throw error;
  } finally {
    limit.lift();
  }
}

/** Reports a framing error before the connection is closed. */
async function explain(socket: TLSSocket, error: FrameError): Promise<void> {
  const ids = { clientTransactionId: undefined, serverTransactionId: `sandbox-${randomUUID()}` };
  await send(socket, encodeFrame(refusalXml(new EppRefusal(2500, error.message), ids)));
}

async function sendReply(socket: TLSSocket, { xml, damage }: Reply): Promise<void> {
  if (xml === undefined || damage === "cut") return;
  const frame = encodeFrame(xml);
  if (damage === "half-frame") return send(socket, frame.subarray(0, frame.length / 2));
  if (damage === "wrong-length") new DataView(frame.buffer, frame.byteOffset).setUint32(0, frame.length - 4);
  return send(socket, frame);
}

function send(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else
      socket.write(bytes, () => {
        resolve();
      });
  });
}

function limitBy(clock: Clock, over: () => void): { set(milliseconds: number): void; lift(): void } {
  let callOff: CallOff | undefined;
  const lift = (): void => {
    callOff?.();
    callOff = undefined;
  };
  return {
    lift,
    set(milliseconds) {
      lift();
      callOff = clock.after(milliseconds, over);
    },
  };
}
