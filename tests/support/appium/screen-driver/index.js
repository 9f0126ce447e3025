// An Appium driver for tests: it sends every command over a socket to the test process, which owns the screen.
// Sessions, routes, capabilities and errors are Appium's own.
const net = require('node:net');
const {BaseDriver, errors} = require('appium/driver');

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const FAILURES = {
  alert: errors.UnexpectedAlertOpenError,
  element: errors.NoSuchElementError,
  noAlert: errors.NoAlertOpenError,
  state: errors.InvalidElementStateError,
  unknown: errors.UnknownError,
};

const path = (id) => Buffer.from(id, 'hex').toString();

class ScreenDriver extends BaseDriver {
  constructor(...args) {
    super(...args);
    this.locatorStrategies = ['xpath'];
    this.desiredCapConstraints = {socket: {presence: true, isString: true}};
  }

  send(command, ...args) {
    return new Promise((resolve, reject) => {
      const connection = net.connect(this.opts.socket);
      let answer = '';
      connection.on('error', reject);
      connection.on('data', (data) => (answer += data));
      connection.on('end', () => {
        const {value, failure} = JSON.parse(answer);
        return failure ? reject(new FAILURES[failure](value)) : resolve(value);
      });
      connection.end(JSON.stringify([command, ...args]) + '\n');
    });
  }

  async getPageSource() { return await this.send('source'); }
  async getScreenshot() { return await this.send('screenshot'); }
  async performActions(actions) { await this.send('actions', actions); }
  async releaseActions() {}
  async findElOrEls(strategy, selector) {
    await this.send('find', selector);
    return {[ELEMENT]: Buffer.from(selector).toString('hex')};  // hexadecimal, because it becomes part of a URL
  }
  async click(id) { await this.send('click', path(id)); }
  async clear(id) { await this.send('clear', path(id)); }
  async setValue(text, id) { await this.send('write', path(id), Array.isArray(text) ? text.join('') : text); }
  async getElementRect(id) { return await this.send('rect', path(id)); }
  async active() { return {[ELEMENT]: Buffer.from('active').toString('hex')}; }
  async back() { await this.send('back'); }
  async setUrl(url) { await this.send('link', url); }
  async getAlertText() { return await this.send('alert'); }
  async postAcceptAlert() { await this.send('answer', true); }
  async postDismissAlert() { await this.send('answer', false); }
  async execute(script, args) { return await this.send('execute', script, (args ?? [])[0] ?? {}); }
}

module.exports = {ScreenDriver};
