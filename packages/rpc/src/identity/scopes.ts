/** What API keys may be allowed, for whoever asks for it at the door. */
export {
  apiKeyScopes,
  hasScope,
  maximumKeyAddresses,
  maximumKeyLabel,
  type ApiKeyScope,
} from "@hostledger/core";

/** What customers are notified of, for the same. */
export { expiryNoticeDays, maximumWebhookUrl, noticeKinds, type NoticeKind } from "@hostledger/core";
