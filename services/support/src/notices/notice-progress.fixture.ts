import { openReadModels, type ReadModelLocation } from "@hostledger/read";

import { openNoticeProgress, type LookedThrough, type NoticeProgressSchema } from "./notice-progress.ts";

/** Reads the stored progress of notices, while their service runs or afterwards. */
export async function progressIn(location: ReadModelLocation): Promise<LookedThrough | undefined> {
  const database = await openReadModels<NoticeProgressSchema>({ location, service: "support" });
  try {
    return await (await openNoticeProgress(database)).load();
  } finally {
    await database.close();
  }
}
