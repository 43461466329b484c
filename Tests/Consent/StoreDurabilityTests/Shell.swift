import CTestShims
import Glibc

/// Runs a command of the shell to its end. What other tests have open is not the command's: a listener that lives on in it
/// would seem to be there still.
/// - Returns: the status, as `waitpid` tells it.
@discardableResult
func shell(_ command: String) -> Int32 {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe spawn_closing_from(&actions, 3)
  // The arrays and their texts outlive the call.
  let texts = ["/bin/sh", "-c", command]
  var words = unsafe texts.map { unsafe strdup($0) } + [nil]
  defer { unsafe words.forEach { unsafe free($0) } }
  var pid: pid_t = 0
  guard unsafe posix_spawn(&pid, "/bin/sh", &actions, nil, &words, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  return status
}
