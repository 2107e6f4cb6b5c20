import type { Interceptor } from "@connectrpc/connect";
import type { ServiceImplementation } from "@hostledger/rpc";

/** The same services behind interceptors of their own, whatever the listener's are. */
export function behind(
  interceptors: readonly Interceptor[],
  services: readonly ServiceImplementation[],
): readonly ServiceImplementation[] {
  return services.map((service) => ({
    ...service,
    register: (router, options) => {
      service.register(router, { ...options, interceptors: [...interceptors] });
    },
  }));
}
