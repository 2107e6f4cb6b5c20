import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

import { asLine } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import { Backoff } from "@hostledger/runtime/async";
import { z } from "zod";

import { ProxmoxError } from "./proxmox-error.ts";
import { VerifiedAgent } from "./verified-agent.ts";

/** How a cluster is reached. */
export interface ProxmoxAccess {
  /** For example `https://pve1.example.com:8006`. */
  readonly url: string;
  /** `user@realm!id=uuid`. */
  readonly token: string;
  /** SHA-256 of the cluster's certificate; without it an authority must have signed that. */
  readonly fingerprint?: string;
  /** How long a question may take, in milliseconds. */
  readonly readLimitMs: number;
  /** How long a request may take, in milliseconds. What takes longer is a task. */
  readonly writeLimitMs: number;
  /** How long a task may take, in milliseconds: a clone copies a whole disk. */
  readonly taskLimitMs: number;
}

/** What a request says; `undefined` is left out. */
export type ProxmoxParameters = Readonly<Record<string, string | number | undefined>>;

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Answers are shorter, also of a cluster with ten thousand machines. */
const answerLimitBytes = 8 * 1024 * 1024;

/** Characters of what the cluster says that are passed on. */
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

/** Speaks Proxmox VE's API (`/api2/json`) with a token, and waits for its tasks. */
export class ProxmoxClient {
  readonly #access: ProxmoxAccess;
  readonly #clock: Clock;
  readonly #agent: VerifiedAgent;

  constructor(access: ProxmoxAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
    this.#agent = new VerifiedAgent(access.fingerprint);
  }

  /** Asks. @throws ProxmoxError */
  async get<Data>(path: string, schema: z.ZodType<Data>, parameters: ProxmoxParameters = {}): Promise<Data> {
    const data = schema.safeParse(await this.#request("GET", path, parameters));
    if (data.success) return data.data;
    throw new ProxmoxError("unknown", `Proxmox VE answered GET ${path} with something else than documented.`);
  }

  /** Has something done, and waits until the task that it begins has ended. @throws ProxmoxError */
  async change(
    method: Exclude<Method, "GET">,
    path: string,
    parameters: ProxmoxParameters = {},
  ): Promise<void> {
    const task = taskId.safeParse(await this.#request(method, path, parameters));
    // What is done at once is answered with nothing.
    if (task.success) await this.#ended(task.data);
  }

  /** Lets go of every connection. */
  close(): void {
    this.#agent.destroy();
  }

  /** @throws ProxmoxError `rejected` where the task failed, `unknown` where it did not end in time. */
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
      throw new ProxmoxError(
        "unknown",
        `Proxmox VE answered ${method} ${path} with something else than JSON.`,
      );
    // A node that could not be reached through another one (595): nothing got there.
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

/** A question that was not answered says nothing about the task. */
function stillRunning(error: unknown): z.output<typeof taskStatus> {
  if (error instanceof ProxmoxError && error.certainty !== "rejected") return { status: "unanswered" };
  throw error instanceof ProxmoxError ? error.afterChanges() : error;
}

/** What the cluster says where nothing was changed: its handlers die with these before they begin (`PVE::AbstractConfig`). */
const certainly: readonly { readonly pattern: RegExp; readonly certainty: "rejected" | "unreachable" }[] = [
  // Somebody else works on it, for example a backup: later it can be done.
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
