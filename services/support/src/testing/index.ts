export {
  openMailServer,
  startMailServer,
  type MailServer,
  type TakenMail,
} from "../notices/mail-server.fixture.ts";
