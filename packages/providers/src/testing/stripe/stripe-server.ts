import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { listen } from "@hostledger/runtime/testing";
import { Stripe } from "stripe";

import { StripeAccount } from "./stripe-account.ts";
import { documentedCall, readSent, wrongInAnswer, type DocumentedCall } from "./stripe-document.codec.ts";
import { StripeRefusal } from "./stripe-money.ts";

/** Treatment of a request with a fault. */
export type StripeFault =
  /** The request is carried out, and no answer comes. */
  | "no-answer"
  /** The connection is cut before the request is carried out. */
  | "cut-before"
  /** The request is carried out, then the connection is cut. */
  | "cut-after"
  | "huge"
  | "no-json"
  | "redirect"
  /** Not carried out, and answered with this status and an error of the document. */
  | number;

/** A body with its `Stripe-Signature`. */
export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

/** Minimum time for which Stripe keeps idempotency keys, in milliseconds. */
const keyMs = 86_400_000;

const hugeBytes = 10 * 1024 * 1024;

/** An answer of Stripe. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A server of Stripe's API, which checks requests and its own answers against Stripe's OpenAPI document. */
export class StripeServer {
  readonly secretKey = "sk_test_abcdefghijklmnop";
  readonly webhookSecret = "whsec_abcdefghijklmnop";
  readonly account: StripeAccount;
  /** Deviations of requests and answers from Stripe's document; empty in a passing test. */
  readonly undocumented: string[] = [];
  /** `METHOD /path` of every request. */
  readonly requests: string[] = [];
  readonly #nowMs: () => number;
  readonly #server: Server;
  readonly #faults: { readonly request: RegExp; readonly fault: StripeFault; left: number }[] = [];
  /** Answers by idempotency key, with the request that had it. */
  readonly #kept = new Map<string, Answer & { readonly request: string; readonly atMs: number }>();
  #events = 0;
  #port = 0;

  /** @param nowMs Unix time in milliseconds */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.account = new StripeAccount(nowMs);
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        this.undocumented.push(String(error));
        response.destroy();
      });
    });
  }

  async listen(): Promise<void> {
    this.#port = await listen(this.#server);
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${String(this.#port)}`);
  }

  /** Treats the next requests like that. @param request pattern of `METHOD /path` */
  fail(request: RegExp, fault: StripeFault, times = 1): void {
    this.#faults.push({ request, fault, left: times });
  }

  /** An event with its signature, as Stripe posts them. @param object see `StripeAccount.objectOf` */
  event(type: string, object: unknown, more: object = {}): SignedEvent {
    this.#events += 1;
    const event = {
      id: `evt_${String(this.#events)}`,
      object: "event",
      api_version: Stripe.API_VERSION,
      created: Math.floor(this.#nowMs() / 1_000),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: null,
      type,
      ...more,
    };
    return this.sign(JSON.stringify(event));
  }

  /** Signs any body. @param signedAtMs Unix time in milliseconds */
  sign(body: string, signedAtMs = this.#nowMs()): SignedEvent {
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret: this.webhookSecret,
      timestamp: Math.floor(signedAtMs / 1_000),
    });
    return { body, signature };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "/" } = request;
    const { pathname } = new URL(url, "http://stripe.example");
    this.requests.push(`${method} ${pathname}`);
    const body = await textOf(request);
    const fault = this.#faultOf(`${method} ${pathname}`);
    if (fault === "cut-before") response.destroy();
    else if (typeof fault === "number") send(response, { status: fault, body: errorOf(fault) });
    else answerWith(response, this.#answer(request, body), fault);
  }

  #faultOf(request: string): StripeFault | undefined {
    const found = this.#faults.find((one) => one.left > 0 && one.request.test(request));
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  }

  #answer({ method = "", url = "/", headers }: IncomingMessage, body: string): Answer {
    const { pathname, search } = new URL(url, "http://stripe.example");
    const call = documentedCall(method, pathname);
    if (call === undefined) {
      this.undocumented.push(`${method} ${pathname}`);
      return refused(404, "Unrecognized request URL");
    }
    if (headers.authorization !== `Bearer ${this.secretKey}`) return refused(401, "Invalid API Key provided");
    const key = String(headers["idempotency-key"] ?? "");
    const answer = this.#once(key, `${method} ${url} ${body}`, () =>
      this.#carryOut(call, search.slice(1), body),
    );
    const wrong = wrongInAnswer(call, answer.status, answer.body);
    this.undocumented.push(...wrong.map((why) => `${call.operationId} answers: ${why}`));
    return answer;
  }

  /** Answers a request under a key that was used as the first time. */
  #once(key: string, request: string, make: () => Answer): Answer {
    const before = this.#kept.get(key);
    const atMs = this.#nowMs();
    if (key === "" || before === undefined || atMs - before.atMs >= keyMs) {
      const answer = make();
      // Requests that validation refuses are not kept.
      if (key !== "" && answer.status !== 400) this.#kept.set(key, { ...answer, request, atMs });
      return answer;
    }
    if (before.request === request) return before;
    const message = "Keys for idempotent requests can only be used with the same parameters.";
    return { status: 400, body: { error: { type: "idempotency_error", message } } };
  }

  #carryOut(call: DocumentedCall, query: string, body: string): Answer {
    const { sent, wrong } = readSent(call, { query, body });
    this.undocumented.push(...wrong.map((why) => `${call.operationId} is asked: ${why}`));
    try {
      return { status: 200, body: this.account.carryOut(call.operationId, sent, call.path) };
    } catch (error) {
      if (error instanceof StripeRefusal) return { status: error.status, body: { error: error.error } };
      throw error;
    }
  }
}

/** Starts a server of Stripe's API on a free port. */
export async function startStripeServer({ nowMs }: { readonly nowMs: () => number }): Promise<StripeServer> {
  const server = new StripeServer(nowMs);
  await server.listen();
  return server;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const part of request) text += String(part);
  return text;
}

function answerWith(
  response: ServerResponse,
  answer: Answer,
  fault: Exclude<StripeFault, number> | undefined,
): void {
  switch (fault) {
    case undefined:
      send(response, answer);
      return;
    case "no-answer":
      return;
    case "cut-before":
    case "cut-after":
      response.destroy();
      return;
    case "huge":
      response.end(`"${"x".repeat(hugeBytes)}"`);
      return;
    case "no-json":
      response.end("<html>");
      return;
    case "redirect":
      response.writeHead(302, { location: "https://elsewhere.example/" }).end("{}");
  }
}

function refused(status: number, message: string): Answer {
  return { status, body: { error: { type: "invalid_request_error", message } } };
}

function errorOf(status: number) {
  const type = status === 402 ? "card_error" : status >= 500 ? "api_error" : "invalid_request_error";
  return { error: { type, message: `The test says ${String(status)}.` } };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
