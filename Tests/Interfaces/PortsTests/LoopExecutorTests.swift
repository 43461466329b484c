import NIOCore
import NIOPosix
import Ports
import Requirements
import Testing

@Test(.patient)
func `a task with the executor of an event loop runs on that event loop`() async {
  let loop = MultiThreadedEventLoopGroup.singleton.next()
  let isInLoop = await Task(executorPreference: LoopExecutor(loop)) { loop.inEventLoop }.value
  #expect(isInLoop)
}
