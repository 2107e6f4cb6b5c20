/** Support for specs of services: callers, rejections and certificates. */
export { refusalOf, specCallers, type SpecCallers } from "./callers.fixture.ts";
export { openTokens, tokensOf } from "./tokens.fixture.ts";
export { testAuthority, type TestAuthority } from "../tls/certificates.fixture.ts";
