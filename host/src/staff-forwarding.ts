import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createMethodImplSpec,
  type HandlerContext,
  type ServiceImpl,
  type Transport,
} from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { bankFileLimits } from "@hostledger/account-service";
import { admin, audit } from "@hostledger/protocol";
import { forwardingGate, implement, isUnary, type ServiceImplementation } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { ServiceName } from "./services.ts";

/** Transports to the staff operations of each service, and of the audit if the deployment has an audit service. */
export type StaffTransports = Readonly<Record<ServiceName, Transport>> & { readonly audit?: Transport };

/** Time limit of a rebuild, in milliseconds: it reads the whole log. */
const rebuildLimitMs = 3_600_000;

/**
 * The staff RPC of a gateway that runs alone: every call goes on to the service it is about, under the credential it came
 * with, so that staff need one address.
 */
export function staffForwarding(transports: StaffTransports): readonly ServiceImplementation[] {
  const { audit: audited } = transports;
  return [
    forwarded(admin.AccountAdminService, transports.account),
    forwarded(admin.BankAdminService, transports.account, { ...bankFileLimits, requestGate: forwardingGate }),
    forwarded(admin.DocumentAdminService, transports.account),
    forwarded(admin.DomainAdminService, transports.domain),
    forwarded(admin.ServerAdminService, transports.server),
    forwarded(admin.SupportAdminService, transports.support),
    // One service is enough, because the confirmation is an event that every process over the store reads.
    // The same holds for members of staff.
    forwarded(admin.ClockAdminService, transports.domain),
    forwarded(admin.StoreAdminService, transports.account),
    forwarded(admin.StaffAdminService, transports.account),
    forwarded(admin.ServiceCredentialAdminService, transports.account),
    ...(audited === undefined ? [] : auditForwarding(audited)),
    implement(admin.ProjectionAdminService, projectionsOfAll(transports)),
  ];
}

/** Forwards the staff's audit operations to the process with the audit log. */
export function auditForwarding(transport: Transport): readonly ServiceImplementation[] {
  return [forwarded(admin.AuditorAdminService, transport), forwarded(audit.AuditService, transport)];
}

/** Every method of the service that answers one request, once or in a stream, answered by whom the transport reaches. */
function forwarded(
  service: DescService,
  transport: Transport,
  limits: Pick<ServiceImplementation, "readMaxBytes" | "requestGate"> = {},
): ServiceImplementation {
  const unary = service.methods.filter(isUnary);
  const streaming = service.methods.filter(
    (method): method is DescMethodServerStreaming => method.methodKind === "server_streaming",
  );
  const answer =
    (method: DescMethodUnary) =>
    async (request: Message, context: HandlerContext): Promise<MessageInitShape<DescMessage>> => {
      const { headers, signal, timeoutMs } = callOptions(context);
      const call = await transport.unary(method, signal, timeoutMs, headers, request);
      return call.message;
    };
  const answers = (method: DescMethodServerStreaming) =>
    async function* (request: Message, context: HandlerContext) {
      const { headers, signal, timeoutMs } = callOptions(context);
      const call = await transport.stream(method, signal, timeoutMs, headers, createAsyncIterable([request]));
      yield* call.message;
    };
  return {
    service,
    ...limits,
    spec: {
      service,
      methods: Object.fromEntries([
        ...unary.map((method) => [method.localName, createMethodImplSpec(method, answer(method))] as const),
        ...streaming.map(
          (method) => [method.localName, createMethodImplSpec(method, answers(method))] as const,
        ),
      ]),
    },
  };
}

/**
 * Codes of services that lack the read model, whose read model did not stop there, or whose read model belongs to
 * another process; a later code is more specific.
 */
const notMeant: readonly Code[] = [Code.NotFound, Code.InvalidArgument, Code.Unavailable];

/** The read models of all services in one list; a rebuild by name asks those that have it. */
function projectionsOfAll(transports: StaffTransports): ServiceImpl<typeof admin.ProjectionAdminService> {
  const clients = Object.values(transports).map((transport) =>
    createClient(admin.ProjectionAdminService, transport),
  );

  /** Returns the answer of the first service that has the read model and the stopped stream. */
  async function firstMeant<Answer>(
    ask: (client: (typeof clients)[number]) => Promise<Answer>,
  ): Promise<Answer> {
    let refusal: ConnectError | undefined;
    for (const client of clients) {
      try {
        return await ask(client);
      } catch (error) {
        const answer = ConnectError.from(error);
        if (!notMeant.includes(answer.code)) throw answer;
        const isMoreTelling =
          notMeant.indexOf(answer.code) >= notMeant.indexOf(refusal?.code ?? Code.NotFound);
        if (isMoreTelling) refusal = answer;
      }
    }
    throw refusal ?? new ConnectError("there is no service to ask", Code.Unavailable);
  }

  return {
    async listProjections(request, context) {
      const lists = await Promise.all(
        clients.map((client) => client.listProjections(request, callOptions(context))),
      );
      return { projections: lists.flatMap(({ projections }) => projections) };
    },

    async rebuildProjections(request, context) {
      const options = { ...callOptions(context), timeoutMs: rebuildLimitMs };
      const projections: admin.RebuiltProjection[] = [];
      let refusal: ConnectError | undefined;
      for (const client of clients) {
        try {
          projections.push(...(await client.rebuildProjections(request, options)).projections);
        } catch (error) {
          refusal = ConnectError.from(error);
          if (refusal.code !== Code.NotFound) throw refusal;
        }
      }
      // A name that nobody has is refused by all of them alike.
      if (projections.length === 0 && refusal !== undefined) throw refusal;
      return { projections };
    },

    async listStoppedStreams(request, context) {
      const lists = await Promise.all(
        clients.map((client) => client.listStoppedStreams(request, callOptions(context))),
      );
      const listed = new Map<string, admin.StoppedStream>();
      for (const stop of lists.flatMap(({ streams }) => streams)) {
        const key = `${String(stop.position)} ${stop.stream}`;
        const readModels = [...(listed.get(key)?.readModels ?? []), ...stop.readModels];
        listed.set(key, { ...stop, readModels });
      }
      return {
        streams: [...listed.values()].toSorted((one, other) => (one.position < other.position ? -1 : 1)),
      };
    },

    mendStream: (request, context) =>
      firstMeant((client) => client.mendStream(request, callOptions(context))),

    skipProjectionEvent: (request, context) =>
      firstMeant((client) => client.skipProjectionEvent(request, callOptions(context))),
  };
}

/** Headers that identify the operation and the member of staff. */
const passedOn = ["authorization", "x-request-id", "hostledger-operation-id", "hostledger-correlation-id"];

/** Returns call options that pass on the caller's credential and deadline. */
function callOptions({ requestHeader, signal, timeoutMs }: HandlerContext) {
  const headers = new Headers();
  for (const name of passedOn) {
    const value = requestHeader.get(name);
    if (value !== null) headers.set(name, value);
  }
  return { headers, signal, ...defined({ timeoutMs: timeoutMs() }) };
}
