import type { Interceptor, ServiceImpl, Transport } from "@connectrpc/connect";
import { bootstrapName } from "@hostledger/core";
import { admin } from "@hostledger/protocol";
import {
  createInProcessTransport,
  credentialGate,
  implement,
  type PartName,
  requestContextOf,
  type RequestGate,
  serverInterceptors,
  type ServiceImplementation,
  staffInterceptors,
  staleReadsInterceptor,
} from "@hostledger/rpc";
import { defined, supervise } from "@hostledger/runtime";

import type { Audit } from "./audit.ts";
import type { HostContext } from "./host-context.ts";
import type { Peers } from "./peers.ts";
import { projectionAdminRpc } from "./projection-admin.rpc.ts";
import { staleIn } from "./readiness.ts";
import type { ServiceContext } from "./service-context.ts";
import type { ServiceName, StartedService } from "./services.ts";
import { auditForwarding } from "./staff-forwarding.ts";
import { serviceCredentialAdminRpc, staffAdminRpc } from "./staff/credential-admin.rpc.ts";
import { createStoppedStreams } from "./stopped-streams.ts";
import { storeAdminRpc } from "./store-admin.rpc.ts";
import { staffDeadline } from "./time-limits.ts";
import type { ClockWatch } from "./clock-watch.ts";

type RoutedService = Pick<StartedService, "routes" | "staffRoutes" | "projector">;

type RoutedServices = Partial<Record<ServiceName, RoutedService>> & {
  readonly audit?: RoutedService & Audit;
};

/** Joins the services of this process with the interceptors that stand before their handlers. */
export class Routes {
  readonly #hostContext: HostContext;
  readonly #context: ServiceContext;
  /** Interceptors of all services for customers and internal teams. */
  readonly callers: readonly Interceptor[];
  /** Interceptors of all services for staff. */
  readonly staff: readonly Interceptor[];
  readonly #staffGate: RequestGate;

  /** @param part checks the tokens of callers by the public keys, which are those of all parts. */
  constructor(hostContext: HostContext, context: ServiceContext, part: PartName) {
    const { staff, teams, claimOf, refusesWrites, tokensOf } = context;
    const { logger, tracing } = hostContext;
    const common = { logger, refusesWrites, ...defined({ tracing }) };
    this.#hostContext = hostContext;
    this.#context = context;
    this.callers = serverInterceptors({
      tokens: tokensOf(part),
      teams: teams.identify,
      claimOf,
      ...common,
    });
    const identify = (authorization: string | undefined) => staff.identify(authorization);
    this.#staffGate = credentialGate(identify);
    this.staff = staffInterceptors({
      identify,
      deadline: staffDeadline,
      ...common,
    });
  }

  /** Returns a service's implementations for customers and internal teams. */
  forCallers(name: string, service: RoutedService): readonly ServiceImplementation[] {
    return this.#marked(name, service, service.routes, this.callers);
  }

  /** Calls a service of this process without serialising. @throws Error where it is not started. */
  inProcess(name: string, service: RoutedService | undefined): Transport {
    if (service === undefined) throw new Error(`the ${name} service is called before it is started`);
    return createInProcessTransport(this.forCallers(name, service));
  }

  /**
   * Returns the staff's implementations of the services and of this process.
   * @param peers set if the process has the deployment's staff listener, which also forwards to the audit.
   */
  forStaff(services: RoutedServices, peers: Peers | undefined): readonly ServiceImplementation[] {
    const { clockWatch, storeWatch, staff, teams, clock } = this.#context;
    const entries = Object.entries(services);
    const projectors = Object.fromEntries(entries.map(([name, { projector }]) => [name, projector]));
    const ofDeployment =
      peers === undefined || services.audit !== undefined ? [] : auditForwarding(peers("audit"));
    const ofProcess = [
      implement(admin.ProjectionAdminService, projectionAdminRpc(projectors, this.#watch(services), clock)),
      implement(admin.ClockAdminService, clockAdminRpc(clockWatch)),
      implement(admin.StoreAdminService, storeAdminRpc(storeWatch)),
      implement(admin.StaffAdminService, staffAdminRpc(staff)),
      implement(admin.ServiceCredentialAdminService, serviceCredentialAdminRpc(teams)),
    ];
    return [
      ...entries.flatMap(([name, service]) => this.#forStaffOf(name, service)),
      ...[...ofDeployment, ...ofProcess].map((route) => ({ ...route, interceptors: this.staff })),
    ];
  }

  /** Returns a transport on which the process itself calls the services as an owner, without a sign-in. */
  asOwner(services: RoutedServices): Transport {
    const process = { kind: "staff", name: bootstrapName, role: "owner", isProcess: true } as const;
    const { logger } = this.#hostContext;
    return createInProcessTransport(
      Object.values(services).flatMap(({ staffRoutes }) => staffRoutes),
      { interceptors: staffInterceptors({ identify: () => Promise.resolve(process), logger }) },
    );
  }

  #forStaffOf(name: string, service: RoutedService): readonly ServiceImplementation[] {
    const routes = service.staffRoutes.map((route) =>
      // A large request is read for staff alone.
      route.readMaxBytes === undefined ? route : { ...route, requestGate: this.#staffGate },
    );
    return this.#marked(name, service, routes, this.staff);
  }

  /** Marks answers that may be out of date. */
  #marked(
    name: string,
    { projector }: Pick<StartedService, "projector">,
    routes: readonly ServiceImplementation[],
    interceptors: readonly Interceptor[],
  ): readonly ServiceImplementation[] {
    const { storeWatch } = this.#context;
    const marking = staleReadsInterceptor((accountId) => staleIn(name, projector, storeWatch, accountId));
    return routes.map((route) => ({ ...route, interceptors: [...interceptors, marking] }));
  }

  /** Opens staff tickets about stopped streams in these services' read models, until the process ends. */
  #watch(services: Readonly<Record<string, Pick<StartedService, "projector">>>) {
    const { rawStore: store, clock } = this.#context;
    const { logger, shutdown } = this.#hostContext;
    const stopped = createStoppedStreams({ store, services, clock, logger });
    const reporting = supervise("stopped streams", (signal) => stopped.run(signal), { logger });
    shutdown.add("stopped streams", () => reporting.stop());
    return stopped;
  }
}

/** Creates the staff's handlers about the clock. */
function clockAdminRpc(watch: Pick<ClockWatch, "accept">): ServiceImpl<typeof admin.ClockAdminService> {
  return {
    async acceptClock(_request, context) {
      const jumps = await watch.accept(requestContextOf(context));
      return {
        jumps: jumps.map(({ direction, expectedAt, clockAt }) => ({ direction, expectedAt, clockAt })),
      };
    },
  };
}
