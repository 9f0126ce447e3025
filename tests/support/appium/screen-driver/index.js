// An Appium driver whose screen is kept by the test, in another process: every command is asked of it over a socket.
// Sessions, routes, capabilities and errors are Appium's own. It is no phone.
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

  ask(command, ...args) {
    return new Promise((resolve, reject) => {
      const wire = net.connect(this.opts.socket);
      let heard = '';
      wire.on('error', reject);
      wire.on('data', (data) => (heard += data));
      wire.on('end', () => {
        const {value, failure} = JSON.parse(heard);
        return failure ? reject(new FAILURES[failure](value)) : resolve(value);
      });
      wire.end(JSON.stringify([command, ...args]) + '\n');
    });
  }

  async getPageSource() { return await this.ask('source'); }
  async getScreenshot() { return await this.ask('screenshot'); }
  async performActions(actions) { await this.ask('actions', actions); }
  async releaseActions() {}
  async findElOrEls(strategy, selector) {
    await this.ask('find', selector);
    return {[ELEMENT]: Buffer.from(selector).toString('hex')};  // it becomes a part of addresses
  }
  async click(id) { await this.ask('click', path(id)); }
  async clear(id) { await this.ask('clear', path(id)); }
  async setValue(text, id) { await this.ask('write', path(id), Array.isArray(text) ? text.join('') : text); }
  async getElementRect(id) { return await this.ask('rect', path(id)); }
  async active() { return {[ELEMENT]: Buffer.from('active').toString('hex')}; }
  async back() { await this.ask('back'); }
  async setUrl(url) { await this.ask('link', url); }
  async getAlertText() { return await this.ask('alert'); }
  async postAcceptAlert() { await this.ask('answer', true); }
  async postDismissAlert() { await this.ask('answer', false); }
  async execute(script, args) { return await this.ask('execute', script, (args ?? [])[0] ?? {}); }
}

module.exports = {ScreenDriver};
