import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { listen } from "@hostledger/runtime/testing/listen";
import { z } from "zod";

const spans = z.object({
  resourceSpans: z
    .array(
      z.object({
        scopeSpans: z.array(
          z.object({
            spans: z.array(z.object({ attributes: z.array(z.object({ key: z.string() })).default([]) })),
          }),
        ),
      }),
    )
    .default([]),
});

/** A collector of OTLP that counts calls between services. */
export interface CallCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Returns the number of calls since the last question. */
  takeCalls(): number;
  close(): void;
}

/** Starts it on a free port. */
export async function startCollector(): Promise<CallCollector> {
  let calls = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const sent = spans.parse(JSON.parse(body));
      const all = sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
      calls += all.filter(({ attributes }) => attributes.some(({ key }) => key === "rpc.method")).length;
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    takeCalls() {
      const taken = calls;
      calls = 0;
      return taken;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
