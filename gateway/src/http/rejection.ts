import type { rejectionOf } from "@hostledger/rpc";

/** A rejection of a service or of the gateway. */
export type Rejection = ReturnType<typeof rejectionOf>;
