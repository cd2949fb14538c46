export type EmlAttachment = { name: string | null; type: string; bytes: string | Buffer };

/** An e-mail message with a text and attachments. */
export function eml(message: { subject: string; text: string; attachments?: readonly EmlAttachment[] }): string {
  // Of its own: a message inside ends where it ends itself.
  const boundary = `=-${Buffer.from(message.subject).toString('hex').slice(0, 60)}`;
  const parts = (message.attachments ?? []).map(({ name, type, bytes }) => {
    const disposition = name === null ? 'attachment' : `attachment; filename="${name}"`;
    const isMessage = type === 'message/rfc822';
    const encoding = isMessage ? '' : 'Content-Transfer-Encoding: base64\r\n';
    const body = isMessage ? bytes.toString() : Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');
    return `--${boundary}\r\nContent-Type: ${type}\r\n${encoding}Content-Disposition: ${disposition}\r\n\r\n${body}\r\n`;
  });
  return (
    `From: Ada <ada@example.com>\r\nTo: Bob <bob@example.com>\r\nSubject: ${message.subject}\r\n` +
    `Date: Mon, 02 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n` +
    `--${boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${message.text}\r\n${parts.join('')}--${boundary}--\r\n`
  );
}
