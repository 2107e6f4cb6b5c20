export { startAccountService, type AccountService } from "./service.ts";
export type { AccountServiceOptions, PaymentOptions, VatIdOptions } from "./dependencies.ts";
export { bankFileLimits } from "./rpc/bank-admin.rpc.ts";
export { createRequestClaims, createRequestCommands } from "./request-claims.ts";
