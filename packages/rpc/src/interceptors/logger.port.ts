/** Logger of this package; pino's logger fits. */
export interface RpcLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
