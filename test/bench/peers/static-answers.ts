import { z } from "zod";

/** A recorded answer, sent again byte for byte (except for the Date, which Node writes). */
export const recordedAnswerSchema = z.object({
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

export const staticServerSchema = z.object({
  kind: z.enum(["express", "node:http"]),
  answers: z.array(recordedAnswerSchema),
});

export const listeningSchema = z.object({ port: z.number() });

export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>;
export type StaticServer = z.infer<typeof staticServerSchema>;

/** Asks a server for an answer and records it. @throws Error unless it is 200. */
export async function record(url: string, apiKey: string): Promise<RecordedAnswer> {
  const response = await fetch(url, { headers: { authorization: apiKey } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} answers ${String(response.status)}: ${body}`);
  // Headers that the server adds itself would appear twice.
  const own = new Set(["date", "connection", "keep-alive"]);
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)));
  return { path: new URL(url).pathname, headers, body };
}
