import { it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { auditLog } from "./audit-log.decider.ts";

it("stores each command of staff that restarted the audit log", () => {
  const data = { origin: "hostledger/log", reason: "The disk was lost." };
  const at = "2026-11-22T10:00:00.000000Z";
  const restarted = { type: "AuditLogRestarted", data: { ...data, restartedAt: at } } as const;
  const restart = { type: "RestartAuditLog", data: { ...data, at } } as const;
  deciderSpec(auditLog).given().when(restart).then(restarted);
  deciderSpec(auditLog).given(restarted).when(restart).then(restarted);
});
