import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type TLSSocket } from "node:tls";

import type { CallOff, Clock } from "@hostledger/runtime";

import type { Sandbox } from "../../sandbox/sandbox.ts";
import { encodeFrame, FrameError, FrameReader } from "../frames.ts";
import { refusalXml } from "./answering.ts";
import { EppRefusal } from "./result-codes.ts";
import { Session, type Reply, type SessionContext } from "./session.ts";

/** How the test registry is served. */
export interface RegistryServerOptions {
  /** Whose registry it is. */
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** PEM. */
  readonly tls: { readonly key: string; readonly certificate: string };
  /** Passwords by registrar: `sandbox` is the one that the sandbox's own registrar is. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Registrars' identifiers by the user that logs in, where these differ. Default: none does. */
  readonly clientIds?: ReadonlyMap<string, string>;
  /** Default: 127.0.0.1 */
  readonly host?: string;
  /** Default: 0, a free one. */
  readonly port?: number;
  /** How long a greeting takes, in milliseconds. Default: 0 */
  readonly greetingMs?: number;
  /** How many sessions a registrar may have. Default: 64 */
  readonly sessionsPerRegistrar?: number;
  /** Told of what should not happen. */
  readonly onFailure?: (error: unknown) => void;
}

/** A test registry that is up. */
export interface RegistryServer {
  readonly host: string;
  readonly port: number;
  /** `epps://HOST:PORT` */
  readonly url: string;
  /** Ends all sessions. */
  close(): Promise<void>;
}

const mostConnections = 10_000;
const handshakeLimitMs = 10_000;
/** Until when somebody must have logged in, the rest of a frame must have come, and a session must say something. */
const loginLimitMs = 30_000;
const frameLimitMs = 30_000;
const idleLimitMs = 600_000;
/** The longest command of a client; commands have a few thousand bytes. */
const longestCommandBytes = 262_144;

/** Serves the sandbox's registry over EPP and TLS (RFC 5734). Rejects when it cannot listen. */
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
    // What goes wrong with a connection ends it; the loop below hears of it.
    socket.on("error", () => socket.destroy());
    const session = new Session(shared);
    converse({ socket, session, clock, greetingMs })
      .catch(onFailure)
      .finally(() => {
        session.end();
        // What was said last still leaves.
        socket.destroySoon();
      });
  });
  // A failed handshake is the client's affair.
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

/** Greets, then answers frame after frame: the next bytes are read when the last answer has left. */
async function converse({ socket, session, clock, greetingMs }: Conversation): Promise<void> {
  const limit = limitBy(clock, () => socket.destroy());
  try {
    limit.set(loginLimitMs + greetingMs);
    await clock.sleep(greetingMs);
    await send(socket, encodeFrame(session.greeting()));
    const frames = new FrameReader(longestCommandBytes);
    // What is said last shall still leave when the loop ends.
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
      // Who sends a byte now and then has no more time for a frame than others.
      if (frames.isHalf && (!wasHalf || complete.length > 0)) limit.set(frameLimitMs);
    }
  } catch (error) {
    if (error instanceof FrameError) await explain(socket, error);
    // Whatever is thrown once the connection is gone says that it is gone.
    else if (!socket.destroyed) throw error;
  } finally {
    limit.lift();
  }
}

/** Says why a connection ends whose frames cannot be told apart any more. */
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

/** Settles when the bytes have left, or never will. */
function send(socket: TLSSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else
      socket.write(bytes, () => {
        resolve();
      });
  });
}

/** A time after which something is over, unless another one is set or it is lifted. */
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
