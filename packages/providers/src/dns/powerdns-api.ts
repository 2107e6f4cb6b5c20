import { asLine } from "@hostledger/core";
import { z } from "zod";

import { askOverHttp, parsedJson, type HttpAnswer, type HttpRequest } from "../ask-over-http.ts";
import { refused, unknown, type Outcome } from "../outcome.ts";

export interface PowerdnsServer {
  /** URL of the web server; the API is below `/api/v1`. */
  readonly url: URL;
  readonly apiKey: string;
  /** Server name within the API; `localhost` unless a proxy serves several. */
  readonly server: string;
  /** Time limit of an answer, in milliseconds. */
  readonly timeLimitMs: number;
}

export interface PowerdnsReply {
  readonly status: number;
  readonly json: unknown;
}

/** Maximum characters quoted from the server's error. */
const longestWords = 300;

const failureAnswer = z.object({ error: z.string() });

/** @returns the reply, positive or negative; or an outcome if there was no valid reply. */
export async function callPowerdns(
  server: PowerdnsServer,
  method: HttpRequest["method"],
  path: string,
  body?: unknown,
): Promise<PowerdnsReply | Outcome<never>> {
  const { url, apiKey, timeLimitMs } = server;
  const base = `${url.pathname.replace(/\/+$/, "")}/api/v1/servers/${encodeURIComponent(server.server)}`;
  const headers = { "x-api-key": apiKey, accept: "application/json" };
  const request = { method, url: new URL(base + path, url), headers, body, timeLimitMs };
  return believed(await askOverHttp(request));
}

/** Validates an answer of PowerDNS; returns an outcome if invalid. */
function believed(answer: HttpAnswer): PowerdnsReply | Outcome<never> {
  if (answer.kind === "unreachable") return refused("unreachable", answer.message);
  if (answer.kind === "lost") return unknown(answer.message);
  const { status, mediaType, text } = answer;
  if (status === 204) return { status, json: undefined };
  if (status >= 300 && status < 400)
    return refused(
      "rejected",
      `The DNS server's address answered ${String(status)}, so it is not the address of PowerDNS.`,
    );
  if (status === 401 || status === 403)
    return refused("rejected", `The DNS server refused the API key (${String(status)}).`);
  const json = mediaType === "application/json" ? parsedJson(text) : undefined;
  if (json === undefined)
    return unknown(
      `The DNS server's address answers ${String(status)} without JSON: it is not PowerDNS's own.`,
    );
  if (status >= 500) return unknown(`The DNS server failed (${String(status)}): ${wordsOf(json)}`);
  return { status, json };
}

/** Converts a negative reply to an outcome. */
export function refusalOf({ status, json }: PowerdnsReply): Outcome<never> {
  if (status < 400) return unknown(`The DNS server answers ${String(status)}, which means nothing here.`);
  return refused("rejected", `The DNS server refuses it (${String(status)}): ${wordsOf(json)}`);
}

function wordsOf(json: unknown): string {
  const failure = failureAnswer.safeParse(json);
  return asLine(failure.success ? failure.data.error : "", longestWords, "it gives no reason.");
}
