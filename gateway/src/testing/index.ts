export { pathValuesOf, requestsOf, validRequestOf, type GeneratedRequest } from "./contract-requests.ts";
export { checkResponsesBy, type ObservedResponse, type ResponseCheck } from "./documented-responses.ts";
export { badIds, fieldCasesOf, type FieldCase } from "./field-cases.ts";
export {
  documentedOperations,
  exampleOf,
  operationsWithIds,
  pathOf,
  type DocumentedOperation,
  type JsonSchema,
  type PathValues,
} from "./openapi-document.ts";
export type { KnownValues } from "./schema-arbitrary.ts";
export { isOwnFault } from "./verdict.ts";
export { fingerprintOf } from "../http/fingerprint.ts";
