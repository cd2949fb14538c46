import { storableText } from './fields.ts';

const MAX_URL_CHARACTERS = 2_048;

/** Where webhooks are sent: http or https, without user name and password. Which network it leads to is looked at when it is sent. */
export const WebhookUrl = storableText(MAX_URL_CHARACTERS, 1)
  .superRefine((text, context) => {
    const url = URL.parse(text);
    const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (!isUsable) {
      context.addIssue({
        code: 'custom',
        message:
          'Must be a complete http or https URL without user name and password, such as https://example.com/hook',
        params: { type: 'webhook_url_invalid' },
      });
    }
  })
  .meta({ format: 'uri', description: 'http or https URL that events are sent to' });
