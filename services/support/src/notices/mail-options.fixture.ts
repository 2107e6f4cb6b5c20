import { createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { account } from "@hostledger/protocol";
import { specCallers } from "@hostledger/rpc/testing";

import type { MailOptions } from "../dependencies.ts";
import type { MailSettings } from "./mail-transport.ts";

/** Renders documents, in specs. */
export type TestDocuments = ServiceImpl<typeof account.DocumentService>["getDocumentFiles"];

/** Mail through a server, with documents that a spec makes; without them there are none. */
export function mailThrough(
  settings: MailSettings,
  getDocumentFiles: TestDocuments = () => ({ files: [] }),
): MailOptions {
  const transport = createRouterTransport(({ service }) => {
    service(account.DocumentService, { getDocumentFiles });
  });
  const documents = createClient(account.DocumentService, transport);
  return { ...settings, documents, callers: specCallers().tokens };
}
