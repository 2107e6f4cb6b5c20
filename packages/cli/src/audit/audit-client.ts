import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { audit } from "@hostledger/protocol";
import type { AuditAddress } from "./audit-address.ts";

/** Time limit of an ordinary call in milliseconds; a statement reads its account's whole stream. */
const callDeadlineMilliseconds = 120_000;

/** Time limit of reading the log in milliseconds, which may be the whole log. */
export const readingDeadlineMilliseconds = 6 * 60 * 60_000;

/** Maximum answer in bytes: far more than any statement, and little enough for memory. */
const answerMaximumBytes = 256 * 1024 * 1024;

/** Client of a running instance's AuditService. */
export type AuditClient = Client<typeof audit.AuditService>;

/** Creates a client over HTTP/1.1 that connects at the first call. Every call has a deadline. */
export function auditClient({ rpcUrl, credential, trust }: AuditAddress): AuditClient {
  const withCredential: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${credential}`);
    return next(request);
  };
  return createClient(
    audit.AuditService,
    createConnectTransport({
      baseUrl: rpcUrl,
      httpVersion: "1.1",
      interceptors: [withCredential],
      defaultTimeoutMs: callDeadlineMilliseconds,
      readMaxBytes: answerMaximumBytes,
      nodeOptions: { ...trust },
    }),
  );
}
