import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

import { listening } from "@hostledger/runtime/testing";
import { z } from "zod";

/** A request as a receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of notices. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Sets the answer to a request. Default: an empty 200. */
  answer(how: (response: ServerResponse, received: Received) => void): void;
}

/** Starts a receiver on this machine; it ends with the test. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer = (response: ServerResponse, _received: Received): void => {
    response.end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      const one = { path, headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      answer(response, one);
    });
  });
  const url = new URL("/hook", await listening(server));
  return {
    url: url.href,
    port: Number(url.port),
    received,
    answer(how) {
      answer = how;
    },
  };
}

/** Returns the expected `webhook-signature` of a request. */
export function signatureOf({ headers, body }: Received, secret: string): string {
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

const noticeBody = z.object({
  type: z.string(),
  data: z.object({
    domain_name: z.string().optional(),
    ticket_id: z.number().optional(),
    notice_days: z.number().optional(),
  }),
});
/** Parses the members of a notice that specs read. */
export const bodyOf = ({ body }: Received) => noticeBody.parse(JSON.parse(body));
