# Find packages of interfaces that others are made of, in a normal ROS or in one from PyPI.
macro(find_interfaces)
  foreach(dependency IN ITEMS ${ARGN})
    find_package(${dependency} REQUIRED)

    # ROS from PyPI exports the Python include folder of the machine that built the wheels, and CMake
    # refuses to use a target with a folder that does not exist. The generated code gets the right
    # folder from find_package(Python3), so drop those that are missing. A normal ROS has none.
    set(target ${dependency}::${dependency}__rosidl_generator_py)
    if(TARGET ${target})
      get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
      if(folders)
        set(present "")
        foreach(folder IN LISTS folders)
          if(folder MATCHES "^\\$<" OR EXISTS "${folder}")
            list(APPEND present "${folder}")
          endif()
        endforeach()
        set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
      endif()
    endif()
  endforeach()
endmacro()

# Compile the type supports of a package of interfaces in few large units. Each of their files is
# small and includes large headers, so that this takes a fraction of the time. Those of introspection
# for C++ define the same names again and again, and stay apart.
macro(compile_type_supports_together package)
  foreach(kind IN ITEMS fastrtps_c fastrtps_cpp introspection_c c cpp)
    set(target ${package}__rosidl_typesupport_${kind})
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
      target_compile_options(${target} PRIVATE -Wno-redundant-decls)
    endif()
  endforeach()
endmacro()
