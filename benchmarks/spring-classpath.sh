# shellcheck shell=bash disable=SC2034
# Sourced: compiles rdma-autoconfigure, then sets JAVA and SPRING_CLASSPATH, its test class path.
# shellcheck source-path=SCRIPTDIR source=../config/jdk.sh
source "$ROOT/config/jdk.sh"

JAVA="$(find_java)"
readonly JAVA
read -ra more <<<"${MAVEN_ARGUMENTS:-}"
(
    cd "$ROOT" || exit
    mvn -B -ntp -q "${more[@]}" -pl rdma-autoconfigure -am test-compile dependency:build-classpath \
        -Dmdep.outputFile=target/test.classpath -Dmdep.includeScope=test -Dspotless.check.skip -Denforcer.skip
) >&2
SPRING_CLASSPATH="$ROOT/rdma-autoconfigure/target/test-classes:$ROOT/rdma-autoconfigure/target/classes:$(<"$ROOT/rdma-autoconfigure/target/test.classpath")"
readonly SPRING_CLASSPATH
