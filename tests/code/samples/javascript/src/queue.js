'use strict';
const { later, clock: time } = require('./timers');
const log = require('./log');

function Queue(size) {
  this.items = [];
  this.timer = new time.Clock();
  this.flush = function () {
    return later(this.items);
  };
}

Queue.prototype.push = function push(item) {
  log(item);
  this.timer.tick();
  return this.flush();
};

Queue.create = (size) => new Queue(size);

class Quick extends Queue {
  #secret = 1;
  run() {
    return this.push(this.#secret);
  }
}

module.exports = { Queue, quick: Quick, start() { return Queue.create(3).push(1); } };
