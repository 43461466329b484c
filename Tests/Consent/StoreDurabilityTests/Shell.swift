import CTestShims
import Glibc

/// Runs a shell command and waits for its end. The command does not inherit the open files of other tests: a listener
/// that it kept open would seem to be alive.
///
/// - Returns: The status of `waitpid`.
@discardableResult
func shell(_ command: String) -> Int32 {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe spawn_closing_from(&actions, 3)
  // The arrays and their strings live until the call returns.
  let texts = ["/bin/sh", "-c", command]
  var words = unsafe texts.map { unsafe strdup($0) } + [nil]
  defer { unsafe words.forEach { unsafe free($0) } }
  var pid: pid_t = 0
  guard unsafe posix_spawn(&pid, "/bin/sh", &actions, nil, &words, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  return status
}
