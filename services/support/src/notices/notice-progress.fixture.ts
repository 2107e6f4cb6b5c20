import { openReadModels, type ReadModelLocation } from "@hostledger/read";

import { openNoticeProgress, type LookedThrough, type NoticeProgressSchema } from "./notice-progress.ts";

/** How far the notices of some read models were looked through, while their service runs or after it. */
export async function progressIn(location: ReadModelLocation): Promise<LookedThrough | undefined> {
  const database = await openReadModels<NoticeProgressSchema>({ location, service: "support" });
  try {
    return await (await openNoticeProgress(database)).load();
  } finally {
    await database.close();
  }
}
