import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect, type ConnectionOptions } from "node:tls";

import { asLine } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import { Backoff } from "@hostledger/runtime/async";
import { z } from "zod";

import { ProxmoxError } from "./proxmox-error.ts";

export interface ProxmoxAccess {
  /** For example `https://pve1.example.com:8006`. */
  readonly url: string;
  /** `user@realm!id=uuid`. */
  readonly token: string;
  /** SHA-256 of the cluster's certificate; without it the certificate must be signed by a trusted authority. */
  readonly fingerprint?: string;
  /** Time limit of a read, in milliseconds. */
  readonly readLimitMs: number;
  /** Time limit of a write, in milliseconds; longer work is a task. */
  readonly writeLimitMs: number;
  /** Time limit of a task, in milliseconds; a clone copies a whole disk. */
  readonly taskLimitMs: number;
}

/** Parameters of a request; `undefined` is omitted. */
export type ProxmoxParameters = Readonly<Record<string, string | number | undefined>>;

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Maximum size of an answer, sufficient for ten thousand machines. */
const answerLimitBytes = 8 * 1024 * 1024;

/** Maximum characters quoted from the cluster's messages. */
const quoteLimit = 300;

const pausesMs = { firstMs: 100, longestMs: 2_000 };

const envelope = z.object({
  data: z.unknown(),
  message: z.string().optional(),
  errors: z.unknown().optional(),
});
const taskStatus = z.object({ status: z.string(), exitstatus: z.string().optional() });
const taskId = z.string().regex(/^UPID:[^:]+:/);

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly body: string;
}

/** Maximum connections; further requests wait. */
const maxSockets = 32;

/**
 * Agent that verifies the server before anything is sent: by its pinned certificate, or without a pin by a trusted
 * authority and host name. A request gets its socket after verification, so a request without a socket was not sent.
 */
class VerifiedAgent extends Agent {
  readonly #fingerprint: string | undefined;

  /** @param fingerprint SHA-256 of the certificate as shown by Proxmox VE: upper-case pairs separated by colons. */
  constructor(fingerprint: string | undefined) {
    super({ maxSockets, keepAlive: false, maxCachedSessions: 0 });
    this.#fingerprint = fingerprint;
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const pin = this.#fingerprint;
    const socket = connect({ ...options, ...(pin === undefined ? {} : { rejectUnauthorized: false }) });
    const failed = (error: Error): void => {
      socket.destroy();
      callback?.(error, socket);
    };
    socket.once("error", failed);
    socket.once("secureConnect", () => {
      socket.off("error", failed);
      if (pin === undefined || socket.getPeerCertificate().fingerprint256 === pin) callback?.(null, socket);
      else failed(new Error("the certificate has another fingerprint than HOSTLEDGER_PROXMOX_FINGERPRINT"));
    });
  }
}

/** Client of Proxmox VE's API (`/api2/json`) with a token; waits for tasks. */
export class ProxmoxClient {
  readonly #access: ProxmoxAccess;
  readonly #clock: Clock;
  readonly #agent: VerifiedAgent;

  constructor(access: ProxmoxAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
    this.#agent = new VerifiedAgent(access.fingerprint);
  }

  /** Reads data. @throws ProxmoxError */
  async get<Data>(path: string, schema: z.ZodType<Data>, parameters: ProxmoxParameters = {}): Promise<Data> {
    const data = schema.safeParse(await this.#request("GET", path, parameters));
    if (data.success) return data.data;
    throw new ProxmoxError("unknown", `Proxmox VE answered GET ${path} with an undocumented answer.`);
  }

  /** Makes a change and waits for its task. @throws ProxmoxError */
  async change(
    method: Exclude<Method, "GET">,
    path: string,
    parameters: ProxmoxParameters = {},
  ): Promise<void> {
    const task = taskId.safeParse(await this.#request(method, path, parameters));
    // An immediate change returns no task.
    if (task.success) await this.#ended(task.data);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** @throws ProxmoxError `rejected` if the task failed, `unknown` if it did not end in time. */
  async #ended(upid: string): Promise<void> {
    const { taskLimitMs } = this.#access;
    const path = `/nodes/${upid.split(":")[1] ?? ""}/tasks/${encodeURIComponent(upid)}/status`;
    const backoff = new Backoff({ ...pausesMs, overallMs: taskLimitMs }, this.#clock);
    for (;;) {
      const { status, exitstatus = "" } = await this.get(path, taskStatus).catch(stillRunning);
      if (status === "stopped") {
        if (exitstatus === "OK" || exitstatus.startsWith("WARNINGS")) return;
        throw failure(`The task ${upid} failed: ${quote(exitstatus)}`, exitstatus, "rejected");
      }
      if (backoff.isOver)
        throw new ProxmoxError("unknown", `The task ${upid} has not ended within ${String(taskLimitMs)} ms.`);
      await backoff.pause();
    }
  }

  async #request(method: Method, path: string, parameters: ProxmoxParameters): Promise<unknown> {
    const answer = await this.#send(method, path, parameters);
    const { status, reason, body } = answer;
    const parsed = envelope.safeParse(jsonOf(body));
    if (status === 200 && parsed.success) return parsed.data.data;
    const { message = reason, errors } = parsed.data ?? {};
    const said = quote(errors === undefined ? message : `${message} ${JSON.stringify(errors)}`);
    const sentence = `Proxmox VE answered ${method} ${path} with ${String(status)}: ${said}`;
    if (status === 200 || (status >= 300 && status < 400))
      throw new ProxmoxError("unknown", `Proxmox VE answered ${method} ${path} with text that is not JSON.`);
    // 595: the node could not be reached through another node, so nothing was done.
    if (status === 595) throw new ProxmoxError("unreachable", sentence);
    throw failure(sentence, said, status >= 400 && status < 500 ? "rejected" : "unknown");
  }

  #send(method: Method, path: string, parameters: ProxmoxParameters): Promise<Answer> {
    const { url, token, readLimitMs, writeLimitMs } = this.#access;
    const said = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const form = new URLSearchParams(said).toString();
    const isInBody = method === "POST" || method === "PUT";
    const limitMs = method === "GET" ? readLimitMs : writeLimitMs;
    const address = `${url}/api2/json${path}${isInBody || form === "" ? "" : `?${form}`}`;
    return new Promise((resolve, reject) => {
      let isSent = false;
      const failed = (error: Error): void => {
        const sentence = `${method} ${path} of Proxmox VE was not answered: ${error.message}.`;
        reject(new ProxmoxError(isSent ? "unknown" : "unreachable", sentence));
        call.destroy();
      };
      const headers = {
        authorization: `PVEAPIToken=${token}`,
        ...(isInBody ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      };
      const call = httpsRequest(address, { method, headers, agent: this.#agent });
      const callOff = this.#clock.after(limitMs, () => {
        failed(new Error(`no answer came within ${String(limitMs)} ms`));
      });
      call.once("socket", () => (isSent = true));
      call.once("close", callOff);
      call.on("error", failed);
      call.once("response", (response) => {
        bodyOf(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, reason: response.statusMessage ?? "", body });
        }, failed);
      });
      call.end(isInBody ? form : undefined);
    });
  }
}

/** Returns "still running" if the question about the task got no answer. */
function stillRunning(error: unknown): z.output<typeof taskStatus> {
  if (error instanceof ProxmoxError && error.certainty !== "rejected") return { status: "unanswered" };
  throw error instanceof ProxmoxError ? error.afterChanges() : error;
}

/** Messages with which Proxmox VE fails before it changes anything (`PVE::AbstractConfig`). */
const certainly: readonly { readonly pattern: RegExp; readonly certainty: "rejected" | "unreachable" }[] = [
  // Another operation, such as a backup, locks the machine; a retry can succeed.
  { pattern: /is locked|can't lock file|got timeout/i, certainty: "unreachable" },
  {
    pattern: /already exists|does not exist|detected modified configuration|not running/i,
    certainty: "rejected",
  },
];

function failure(sentence: string, said: string, otherwise: "rejected" | "unknown"): ProxmoxError {
  const known = certainly.find(({ pattern }) => pattern.test(said));
  return new ProxmoxError(known?.certainty ?? otherwise, sentence);
}

function quote(said: string): string {
  return asLine(said, quoteLimit, "no reason");
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    if (bytes > answerLimitBytes)
      throw new Error(`the answer is longer than ${String(answerLimitBytes)} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
