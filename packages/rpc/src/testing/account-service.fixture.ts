import type { ServiceImpl } from "@connectrpc/connect";
import { account } from "@hostledger/protocol";

import { implement, type ServiceImplementation } from "../transport/implement.ts";

type Handlers = ServiceImpl<typeof account.AccountService>;

/** Creates an account service whose methods are all bugs, except for those given. */
export function accountService(handlers: Partial<Handlers>): ServiceImplementation {
  const unused = (): never => {
    throw new Error("not part of this test");
  };
  return implement(account.AccountService, {
    resolveApiKey: unused,
    createApiKey: unused,
    listApiKeys: unused,
    deleteApiKey: unused,
    getAccount: unused,
    getProfile: unused,
    getProfileRevision: unused,
    changeProfile: unused,
    listInvoices: unused,
    getInvoice: unused,
    chargeBalance: unused,
    refundRegistration: unused,
    refundCharge: unused,
    ...handlers,
  });
}
