import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { audit } from "@hostledger/protocol";
import { runCommand, staffToken, type Outcome } from "./run-command.ts";
import { startServer, type StaffServer } from "./staff-server.ts";

/** The methods a spec answers; one it leaves out answers "unimplemented". */
export type AuditImplementation = Partial<ServiceImpl<typeof audit.AuditService>>;

/** What a streaming method answers, one message after the other. */
export async function* streamed<Message>(...messages: readonly Message[]): AsyncGenerator<Message> {
  for (const message of messages) yield await Promise.resolve(message);
}

/** The credential of a spec's auditor. */
export const auditorCredential = "hla_credential-of-the-spec";

/** Serves AuditService as the staff listener does, or as the public one, where it is under `/audit/rpc`. */
export function startAuditServer(
  implementation: AuditImplementation,
  listener: "staff" | "public" = "staff",
): Promise<StaffServer> {
  const routes = (router: ConnectRouter): void => void router.service(audit.AuditService, implementation);
  const prefix = listener === "public" ? { requestPathPrefix: "/audit/rpc" } : {};
  return startServer(connectNodeAdapter({ routes, ...prefix }));
}

/** Runs a command of `audit` as staff. */
export async function runAudit(
  implementation: AuditImplementation,
  line: readonly string[],
): Promise<Outcome> {
  await using server = await startAuditServer(implementation);
  return await runCommand(["audit", ...line, "--admin-url", server.url], {
    HOSTLEDGER_ADMIN_TOKEN: staffToken,
  });
}

/** Runs a command of `audit` as an auditor. */
export async function runAsAuditor(
  implementation: AuditImplementation,
  line: readonly string[],
): Promise<Outcome> {
  await using server = await startAuditServer(implementation, "public");
  return await runCommand(["audit", ...line, "--audit-url", server.url], {
    HOSTLEDGER_AUDITOR_CREDENTIAL: auditorCredential,
  });
}
