-- For Lmod: module use SHARE/modulefiles; module load tributary. Environment Modules takes the file beside it.
local home = myFileName():match("^(.*)/share/modulefiles/")

help([[Tributary @VERSION@, a global-address-space runtime: the command tributary, and the C library.]])
whatis("Name: tributary")
whatis("Version: @VERSION@")
whatis("Description: a global-address-space runtime for clusters")
conflict("tributary")

setenv("TRIBUTARY_HOME", home)
prepend_path("PATH", pathJoin(home, "bin"))
prepend_path("LD_LIBRARY_PATH", pathJoin(home, "lib"))
prepend_path("LIBRARY_PATH", pathJoin(home, "lib"))
prepend_path("CPATH", pathJoin(home, "include"))
prepend_path("PKG_CONFIG_PATH", pathJoin(home, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", home)
-- The empty entry stands for the pages of the system, which man leaves out when the variable has no such entry.
prepend_path("MANPATH", pathJoin(home, "share/man"))
append_path("MANPATH", "")
