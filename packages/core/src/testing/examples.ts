/** Examples of commands, inputs and events, for specs: account 7 registers example.com as r-1. */

export * as accountExamples from "./account-examples.ts";
export * as domainExamples from "../domain/domain.fixture.ts";
export * as registrationExamples from "../processes/registration.fixture.ts";
export * as renewalExamples from "../processes/domain-renewal.fixture.ts";
export * as transferExamples from "../processes/transfer.fixture.ts";
export * as catalogueExamples from "../catalogue/catalogue.fixture.ts";
export * as serverExamples from "../server/server.fixture.ts";
export * as serverOrderExamples from "../processes/server-order.fixture.ts";
export * as serverRenewalExamples from "../processes/server-renewal.fixture.ts";
export * as paymentExamples from "../payment/payment.fixture.ts";
export * as walletExamples from "../wallet/wallet.fixture.ts";
