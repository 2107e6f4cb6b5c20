import type { rejectionOf } from "@hostledger/rpc";

/** A "no" of the one catalogue, whoever said it: a service or the gateway itself. */
export type Rejection = ReturnType<typeof rejectionOf>;
