import type { DescService } from "@bufbuild/protobuf";
import {
  createServiceImplSpec,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";

/** A service with its handlers, to be called in process or served over the network. */
export interface ServiceImplementation {
  readonly service: DescService;
  /** The handlers, bound to their object. */
  readonly spec: ServiceImplSpec;
  /** Puts the service on a router of Connect. */
  readonly register: (router: ConnectRouter, options?: ConnectRouterOptions) => void;
}

/** Joins a service and its handlers. Every method has one, or it does not compile. */
export function implement<Desc extends DescService>(
  service: Desc,
  handlers: ServiceImpl<Desc>,
): ServiceImplementation {
  return {
    service,
    spec: createServiceImplSpec<Desc>(service, handlers),
    register: (router, options) => {
      router.service(service, handlers, options);
    },
  };
}
