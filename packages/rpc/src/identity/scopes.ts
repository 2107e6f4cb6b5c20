/** What API keys may be allowed, for whoever asks for it at the door. */
export {
  apiKeyScopes,
  hasScope,
  maximumKeyAddresses,
  maximumKeyLabel,
  type ApiKeyScope,
} from "@hostledger/core";
