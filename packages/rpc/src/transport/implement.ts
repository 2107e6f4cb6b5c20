import type { DescMethod, DescMethodUnary, DescService } from "@bufbuild/protobuf";
import {
  createServiceImplSpec,
  type ConnectRouter,
  type HandlerContext,
  type Interceptor,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";

/** Refuses a call by its headers, before any of its body is read. @throws ConnectError */
export type RequestGate = (context: HandlerContext) => Promise<void>;

/** A service with its handlers, to be called in process or served over the network. */
export interface ServiceImplementation {
  readonly service: DescService;
  /** The handlers, bound to their object. */
  readonly spec: ServiceImplSpec;
  /** Interceptors that replace those of the other services, outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Largest request in bytes, where that is not the listener's limit. */
  readonly readMaxBytes?: number;
  /** Stands before the reading of requests, which interceptors follow. A service with large requests needs it. */
  readonly requestGate?: RequestGate;
}

/** Joins a service and its handlers. Every method has one, or it does not compile. */
export function implement<Desc extends DescService>(
  service: Desc,
  handlers: ServiceImpl<Desc>,
  limits: Pick<ServiceImplementation, "readMaxBytes"> = {},
): ServiceImplementation {
  return { service, spec: createServiceImplSpec<Desc>(service, handlers), ...limits };
}

/** Returns true if a method has one request and one answer. */
export function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

/** Puts services on a router of Connect, behind these interceptors or their own. */
export function route(
  router: ConnectRouter,
  services: readonly ServiceImplementation[],
  interceptors: readonly Interceptor[] = [],
): void {
  for (const { spec, interceptors: own = interceptors, readMaxBytes, requestGate } of services)
    for (const { method, impl } of Object.values(spec.methods))
      router.rpc(method, impl, {
        interceptors: [...own],
        ...(readMaxBytes === undefined ? {} : { readMaxBytes }),
        ...(requestGate === undefined ? {} : { requestGate }),
      });
}
