import { createClient, type Transport } from "@connectrpc/connect";
import { account, audit, domain, health, server, support } from "@hostledger/protocol";
import { createServiceTransport, type PartName, type ServiceTransport } from "@hostledger/rpc";
import { ConfigurationError, defined, within } from "@hostledger/runtime";

import type { Configuration } from "./configuration/index.ts";
import type { HostContext } from "./host-context.ts";
import type { Readiness } from "./readiness.ts";
import { serviceNames, type ServiceName } from "./services.ts";
import { serviceAttempts } from "./time-limits.ts";

const variables: Readonly<Record<CalledPart, string>> = {
  account: "HOSTLEDGER_ACCOUNT_URL",
  domain: "HOSTLEDGER_DOMAIN_URL",
  server: "HOSTLEDGER_SERVER_URL",
  support: "HOSTLEDGER_SUPPORT_URL",
  audit: "HOSTLEDGER_AUDIT_URL",
};

type CalledPart = Exclude<PartName, "gateway">;

/** Reaches a part in another process. @throws ConfigurationError for a part without an address. */
export type Peers = (name: CalledPart) => ServiceTransport;

/** Time limit for asking a service whether it serves, in milliseconds. */
const probeMs = 2_000;

/** Finds the other services of the deployment, each at the first call to it. */
export function createPeers({ certificates, configuration, logger, shutdown, tracing }: HostContext): Peers {
  const transports = new Map<CalledPart, ServiceTransport>();
  return (name) => {
    const known = transports.get(name);
    if (known !== undefined) return known;
    const urls = urlsOf(configuration, name);
    if (urls === undefined)
      throw new ConfigurationError([`${variables[name]} must name the addresses of the ${name} service.`]);
    const limits = { attempts: serviceAttempts };
    const transport = createServiceTransport({
      urls,
      logger,
      limits,
      ...defined({ tls: certificates.current(), tracing }),
    });
    certificates.onRenewed((tls) => {
      transport.renewTls(tls);
    });
    shutdown.add(`connections to the ${name} service`, () => transport.close());
    transports.set(name, transport);
    return transport;
  };
}

function urlsOf(configuration: Configuration, name: CalledPart): readonly string[] | undefined {
  const { accountUrls, domainUrls, serverUrls, supportUrls, auditUrls } = configuration;
  const urls = { account: accountUrls, domain: domainUrls, server: serverUrls, support: supportUrls };
  return { ...urls, audit: auditUrls }[name];
}

/** Creates the gateway's clients. @param toAudit undefined if the deployment has no audit service */
export function clientsOf(to: (service: ServiceName) => Transport, toAudit: Transport | undefined) {
  const [toAccount, toServer] = [to("account"), to("server")];
  return {
    account: createClient(account.AccountService, toAccount),
    documents: createClient(account.DocumentService, toAccount),
    payments: createClient(account.PaymentService, toAccount),
    paymentNotices: createClient(account.PaymentNoticeService, toAccount),
    idempotency: createClient(account.IdempotencyService, toAccount),
    domain: createClient(domain.DomainService, to("domain")),
    server: createClient(server.ServerService, toServer),
    catalogue: createClient(server.CatalogueService, toServer),
    support: createClient(support.SupportService, to("support")),
    ...defined({ proofs: toAudit && createClient(audit.DocumentProofService, toAudit) }),
  };
}

/** Ready means: every service says that it serves. */
export async function readinessOfPeers(
  transports: Readonly<Record<ServiceName, Transport>>,
): Promise<Readiness> {
  const parts = await Promise.all(
    serviceNames.map(async (name): Promise<[string, string]> => [name, await stateOf(transports[name])]),
  );
  return { ready: parts.every(([, state]) => state === "serving"), parts: Object.fromEntries(parts) };
}

async function stateOf(transport: Transport): Promise<string> {
  try {
    const answered = createClient(health.Health, transport)
      .check({ service: "" }, { timeoutMs: probeMs })
      .then(({ status }) =>
        status === health.HealthCheckResponse_ServingStatus.SERVING ? "serving" : "starting",
      );
    return await within(probeMs, answered, () => "unreachable");
  } catch {
    return "unreachable";
  }
}
