export { BackupError } from "./backup-error.ts";
export { makeBackup, type BackupOptions, type BackupSummary } from "./make-backup.ts";
export { restoreBackup } from "./restore-backup.ts";
