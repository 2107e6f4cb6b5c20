export * from "../account/account.fixture.ts";
export * from "../account/adjust-balance.fixture.ts";
export * from "../account/api-keys.fixture.ts";
export * from "../account/pay-out.fixture.ts";
export * from "../account/profile.fixture.ts";
export * from "../account/server-charges.fixture.ts";
