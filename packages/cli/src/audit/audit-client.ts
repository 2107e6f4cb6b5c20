import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { audit } from "@hostledger/protocol";
import type { AuditAddress } from "./audit-address.ts";

/** How long an ordinary call may take, in milliseconds: a statement reads the whole stream of its account. */
const callDeadlineMilliseconds = 120_000;

/** How long a reading of the log may take, in milliseconds: it may be the whole log. */
export const readingDeadlineMilliseconds = 6 * 60 * 60_000;

/** The largest answer taken, in bytes: far above any statement, far below what would hurt. */
const answerMaximumBytes = 256 * 1024 * 1024;

/** What an auditor may ask of a running instance. */
export type AuditClient = Client<typeof audit.AuditService>;

/** Speaks to an audit service over HTTP/1.1. Nothing is sent before the first call; every call has a deadline. */
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
