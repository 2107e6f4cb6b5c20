import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { audit } from "@hostledger/protocol";
import { runCommand, staffToken, type Outcome } from "./run-command.ts";
import { startServer, type StaffServer } from "./staff-server.ts";

/** Methods implemented by a spec; others answer "unimplemented". */
export type AuditImplementation = Partial<ServiceImpl<typeof audit.AuditService>>;

export async function* streamed<Message>(...messages: readonly Message[]): AsyncGenerator<Message> {
  for (const message of messages) yield await Promise.resolve(message);
}

export const auditorCredential = "hla_credential-of-the-spec";

/** Serves AuditService like the staff listener, or like the public listener under `/audit/rpc`. */
export function startAuditServer(
  implementation: AuditImplementation,
  listener: "staff" | "public" = "staff",
): Promise<StaffServer> {
  const routes = (router: ConnectRouter): void => void router.service(audit.AuditService, implementation);
  const prefix = listener === "public" ? { requestPathPrefix: "/audit/rpc" } : {};
  return startServer(connectNodeAdapter({ routes, ...prefix }));
}

export async function runAudit(
  implementation: AuditImplementation,
  line: readonly string[],
): Promise<Outcome> {
  await using server = await startAuditServer(implementation);
  return await runCommand(["audit", ...line, "--admin-url", server.url], {
    HOSTLEDGER_ADMIN_TOKEN: staffToken,
  });
}

export async function runAsAuditor(
  implementation: AuditImplementation,
  line: readonly string[],
): Promise<Outcome> {
  await using server = await startAuditServer(implementation, "public");
  return await runCommand(["audit", ...line, "--audit-url", server.url], {
    HOSTLEDGER_AUDITOR_CREDENTIAL: auditorCredential,
  });
}
