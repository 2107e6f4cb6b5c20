import type { ServiceImpl } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import type { ProjectionStatus, Projector, RebuildReport } from "@hostledger/projections";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requireStaff } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

/** The projectors of the services in this process, by the service's name. */
export type Projectors = Readonly<Record<string, Projector>>;

/** What staff may see and do about read models. */
export function projectionAdminRpc(projectors: Projectors): ServiceImpl<typeof admin.ProjectionAdminService> {
  return {
    async listProjections(_request, context) {
      requireStaff(context);
      const lists = await Promise.all(
        Object.entries(projectors).map(async ([service, projector]) =>
          (await projector.status()).map((status) => statusMessage(service, status)),
        ),
      );
      return { projections: lists.flat() };
    },

    async rebuildProjections({ name }, context) {
      requireStaff(context);
      const wanted = Object.entries(projectors).filter(
        ([, projector]) => name === "" || projector.health().some((projection) => projection.name === name),
      );
      if (wanted.length === 0) throw rejectionError(rejection("projection-not-found"));
      const projections = [];
      for (const [service, projector] of wanted) {
        const reports = await projector.rebuild(name === "" ? undefined : name, context.signal);
        projections.push(...reports.map((report) => reportMessage(service, report)));
      }
      return { projections };
    },
  };
}

function statusMessage(service: string, status: ProjectionStatus) {
  return {
    service,
    name: status.name,
    version: status.version,
    position: status.position ?? 0n,
    behind: status.behind,
    rows: BigInt(status.rows),
    state: status.state,
    ...defined({ reason: status.reason }),
  };
}

function reportMessage(service: string, { name, events, rows, equal, failure }: RebuildReport) {
  return {
    service,
    name,
    events: BigInt(events),
    rows: BigInt(rows),
    ...defined({ equal, failure }),
  };
}
