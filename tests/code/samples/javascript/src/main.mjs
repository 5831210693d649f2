import queues, { quick } from './queue.js';
import log from './log.js';

const q = new queues.Queue(1);
q.push(2);
new quick().run();
queues.start();
log('done');
